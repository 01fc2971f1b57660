// Package replay is the lab in which policies are compared: it plays recorded
// conversations to the real keeper, call by call, and adds up what each policy would
// have cost and what the model could still have seen. No model is asked. Who runs it
// over logs of their own knows what a policy does before it is turned on.
//
// What came back from the model is taken as it was recorded, whatever was sent. So a
// replay says what a policy costs and what it hides, not what the model would have
// done about it, save one thing: an identifier that the recorded call uses and that
// is nowhere to be seen can be charged as one more call that reads it again.
//
// It knows file formats, prices and the cache of a provider. It knows nothing of how
// rungs cut: it judges them by the conversation that they leave.
package replay
