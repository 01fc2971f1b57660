package model

// What tests look at and programs do not.
type (
	FormatError  = formatError
	Problem      = problem
	SettingError = settingError
)

const MaxListBytes = maxListBytes

var ErrTooLarge = errTooLarge

// EnvNames gives the variables that may set the limit of a model.
func (r *Registry) EnvNames(name string) []string { return r.envNames(name) }

// RegistryJSON lets the benchmark parse the embedded list again.
var RegistryJSON = registryJSON
