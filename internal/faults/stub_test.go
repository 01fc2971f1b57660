package faults

var securityCases []fault
