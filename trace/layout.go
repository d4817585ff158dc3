// Code generated from package apimodel by 'go generate ./apimodel'; DO NOT EDIT.

package trace

// The first word of a trace ("IPFZ"), and the version of its form.
const (
	binaryMagic   = 0x5a465049
	binaryVersion = 1
)

// Words of the header.
const (
	headMagic     = 0
	headVersion   = 1
	headModel     = 2  // number of the API model
	headWords     = 3  // of the executor's part, this header included
	headCalls     = 4  // number of calls
	headInstances = 5  // number of instances
	headVars      = 6  // words of the tables of variables behind this header
	headAnswers   = 7  // the most words that the answers take
	headLearned   = 8  // of these, the room for learned clauses
	headNotes     = 9  // bytes of notes behind the executor's part
	headWant      = 10 // words of right and recorded answers behind the notes
	headReserved  = 11
	headLength    = 12
)

// Word 0 of a call is operation | flags << FLAG_SHIFT | instance << INSTANCE_SHIFT; word 1 is
// the number of argument words behind it.
const (
	callFlagShift     = 8
	callInstanceShift = 16
	callWords         = 2
)

// Flags of a call.
const (
	flagOpen = 1 // a clause without its final 0
	flagOff  = 2 // the call removes a callback or limit
)

// Word 0 of an answer is kind | flags | payload words << PAYLOAD_SHIFT.
const (
	answerMade          = 1  // the call returned
	answerWithheld      = 2  // it is illegal in the state that an earlier answer led to
	answerUnsupported   = 3  // the target lacks the function
	answerStrange       = 16 // flag: a model or core has a strange value, or a text is NULL
	answerOthersPolled  = 32 // flag of a solve that called the terminate callback of another instance
	answerOthersLearned = 64 // flag of a solve that called the learn callback of another instance
	answerPayloadShift  = 8
)

// Words of a solve's payload; the learned clauses follow, each with its final 0.
const (
	solveStatus     = 0
	solveNanosLow   = 1
	solveNanosHigh  = 2
	solvePolls      = 3 // calls of the terminate callback
	solvePollsAfter = 4 // of these, after it had first said stop
	solveLearned    = 5 // calls of the learn callback
	solveOdd        = 6 // of these, with a clause longer than allowed
	solveLength     = 7
)

// A model or core has two bits for each value, values_per_word in a word.
const (
	valuesPerWord = 16
)

// Limits.
const (
	signatureBytes = 256     // kept of a signature
	proofBytes     = 0x40000 // kept of a proof
	maxInstances   = 4096    // of one trace
)
