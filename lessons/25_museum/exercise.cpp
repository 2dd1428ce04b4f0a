// Exercise 25: be the detective. You are given models that train, and their losses fall. You may call their functions
// (suspects.h) and nothing else. Write three checks; each must see its bug, and accuse no other model.
//
// make exercise-25 says the first thing that is wrong; make hint L=25 gives a hint, then another, then a solution.
#include "lesson/nudge.h"  // nudged(): slopes by trying
#include "suspects.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
// TODO: none of them finds anything. What could you do to a model that changes the answer of a broken one only?

/// Whether the prediction after a token depends on tokens that come later.
bool sees_the_future(Suspect&) { return false; }

/// Whether probabilities depend on what the model was asked about before.
bool remembers_other_documents(Suspect&) { return false; }

/// Whether the gradient is not that of the loss.
bool has_a_wrong_gradient(Suspect&) { return false; }
#endif

#include "exercise_tests.h"
