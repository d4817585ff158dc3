// For libraries that can be stopped from another thread only: a thread that asks
// the user's callback every millisecond while the library searches, and stops it.
//
// The price: how often the callback is asked depends on time. The caller asks it
// once before the search, so that a callback that says stop at once does not.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace adapter {

class Watch {
  std::atomic<bool> over{false}, stopped{false};
  std::thread thread;

public:
  // wanted asks the callback; stop interrupts the library and is called again and
  // again, since some forget an interruption that comes between two phases.
  template <class Wanted, class Stop>
  Watch (Wanted wanted, Stop stop) {
    thread = std::thread ([this, wanted, stop] {
      while (!over) {
        std::this_thread::sleep_for (std::chrono::milliseconds (1));
        if (over) return;
        if (!stopped && wanted ()) stopped = true;
        if (stopped) stop ();
      }
    });
  }

  // Ends the watch; whether the callback said stop.
  bool end () {
    over = true;
    if (thread.joinable ()) thread.join ();
    return stopped;
  }

  ~Watch () { end (); }
};

} // namespace adapter
