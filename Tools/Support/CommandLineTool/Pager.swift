#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program that shows long results page by page, as git has it: a command for the shell, with the settings that git gives `less`.
struct Pager {
  #if canImport(Musl)
    private let stream: OpaquePointer
  #else
    private let stream: UnsafeMutablePointer<FILE>
  #endif

  /// Starts it; `nil` if that fails, so that results go to the terminal as they are.
  init?(_ command: String) {
    // Short results are printed and stay, colours are let through, and the screen is left as it is.
    let settings = "LESS=${LESS-FRX} LV=${LV--c}; export LESS LV; "
    guard let stream = popen(settings + command, "w") else { return nil }
    self.stream = stream
  }

  func write(_ bytes: [UInt8]) -> Console.WriteFailure? { writeAll(bytes, to: fileno(stream)) }

  /// Waits until the person has seen enough.
  func finish() { pclose(stream) }
}
