package model

// RegistryJSON lets the benchmark parse the embedded list again.
var RegistryJSON = registryJSON
