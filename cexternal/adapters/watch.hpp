// For libraries that only another thread can stop: a thread asks the user's callback
// every millisecond while the library searches, and stops the library.
//
// So time decides how often the callback is asked. The caller asks it once before the search,
// so a callback that stops at once is reproducible.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace adapter {

class Watch {
  std::atomic<bool> over{false}, stopped{false};
  std::thread thread;

public:
  // wanted asks the callback. stop interrupts the library; it is called repeatedly,
  // because some libraries lose an interruption between two phases.
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

  // Ends the watch; returns whether the callback asked to stop.
  bool end () {
    over = true;
    if (thread.joinable ()) thread.join ();
    return stopped;
  }

  ~Watch () { end (); }
};

} // namespace adapter
