package faults

var storeCases, securityCases []fault
