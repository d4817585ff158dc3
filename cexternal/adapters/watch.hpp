// For libraries that only another thread can stop: a thread asks the user's callback
// every millisecond while the library searches, and stops the library.
//
// So time decides how often the callback is asked. The caller asks it once before the search,
// so a callback that stops at once is reproducible.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace adapter {

class Watch {
  std::mutex lock;
  std::condition_variable ended;
  bool over = false; // guarded by lock
  std::atomic<bool> stopped{false};
  std::thread thread;

  // Waits for a millisecond, or until the search is over. Returns whether it is.
  bool is_over () {
    std::unique_lock<std::mutex> held (lock);
    return ended.wait_for (held, std::chrono::milliseconds (1), [this] { return over; });
  }

public:
  // wanted asks the callback. stop interrupts the library; it is called repeatedly,
  // because some libraries lose an interruption between two phases.
  template <class Wanted, class Stop>
  Watch (Wanted wanted, Stop stop) {
    thread = std::thread ([this, wanted, stop] {
      while (!is_over ()) {
        if (!stopped && wanted ()) stopped = true;
        if (stopped) stop ();
      }
    });
  }

  // Ends the watch; returns whether the callback asked to stop.
  bool end () {
    {
      const std::lock_guard<std::mutex> held (lock);
      over = true;
    }
    ended.notify_one (); // most searches take far less than a millisecond
    if (thread.joinable ()) thread.join ();
    return stopped;
  }

  ~Watch () { end (); }
};

} // namespace adapter
