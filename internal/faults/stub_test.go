package faults

var conversationCases, storeCases, securityCases []fault
