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
    guard Self.isThere(command) else { return nil }
    // Short results are printed and stay, colours are let through, and the screen is left as it is.
    let settings = "LESS=${LESS-FRX} LV=${LV--c}; export LESS LV; "
    guard let stream = popen(settings + command, "w") else { return nil }
    self.stream = stream
  }

  /// Whether the shell finds the program that a command begins with. The pipe would take the result, and lose it.
  private static func isThere(_ command: String) -> Bool {
    guard let name = command.split(whereSeparator: \.isWhitespace).first,
      name.allSatisfy({ $0.isLetter || $0.isNumber || "/._-+".contains($0) })
    else { return true }
    return system("command -v -- \(name) >/dev/null 2>&1") == 0
  }

  func write(_ bytes: [UInt8]) -> Console.WriteFailure? { writeAll(bytes, to: fileno(stream)) }

  /// Waits until the person has seen enough.
  func finish() { pclose(stream) }
}
