#!/bin/sh
# Records the session that the demonstration plays: the example agent does job.jsonl on
# a fresh copy of this repository, with its real tools and a scripted model.
set -eu
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git clone --quiet --no-hardlinks ../../.. "$copy"
go run ../../../examples/agent --job job.jsonl --record session.json.gz --window 1000000 --model gpt-4.1 --dir "$copy" >/dev/null
