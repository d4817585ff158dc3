#undef NDEBUG
#include <assert.h>
#define AT_SOLVE assert (!"trail is empty")
#include "honest.h"
