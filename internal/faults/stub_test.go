package faults

var conversationCases, storeCases, securityCases, furtherCases []fault
