package model

// What tests look at and programs do not.
type (
	FormatError  = formatError
	Problem      = problem
	SettingError = settingError
)

const MaxListBytes = maxListBytes

var ErrTooLarge = errTooLarge

// RateOf gives the rate of a price in US dollars.
var RateOf = rateOf

// EnvNames gives the variables that may set the limit of a model.
func (r *Registry) EnvNames(name string) []string { return r.envNames(name) }

// RegistryJSON lets the benchmark parse the embedded list again.
var RegistryJSON = registryJSON
