#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Console {
  /// Everything that standard input holds.
  ///
  /// - Parameter limit: how many bytes at most.
  /// - Throws: ``ToolFailure`` if there is more, or it cannot be read.
  public func readInput(limit: Int) throws(ToolFailure) -> [UInt8] {
    show()
    let bytes = reading { () -> Result<[UInt8], ToolFailure> in
      var bytes: [UInt8] = []
      while true {
        switch inputBytes(1 << 16) {
        case .success(let chunk):
          if chunk.isEmpty { return .success(bytes) }
          bytes += chunk
          guard bytes.count <= limit else {
            return .failure(
              ToolFailure(.usage, "standard input holds more than \(limit >> 20) MiB", advice: "give less"))
          }
        case .failure(let failure):
          return .failure(ToolFailure(.forbidden, "standard input cannot be read: \(failure.words)"))
        }
      }
    }
    return try bytes.get()
  }

  /// The next bytes that standard input holds, no more than a number; none at its end.
  ///
  /// - Throws: ``ToolFailure`` if it cannot be read.
  public func readInput(upTo count: Int) throws(ToolFailure) -> [UInt8] {
    show()
    switch reading({ inputBytes(count) }) {
    case .success(let bytes): return bytes
    case .failure(let failure):
      throw ToolFailure(.forbidden, "standard input cannot be read: \(failure.words)")
    }
  }

  /// The text that standard input holds, in UTF-8.
  ///
  /// - Throws: ``ToolFailure`` if it is longer, no UTF-8, or cannot be read.
  public func readText(limit: Int) throws(ToolFailure) -> String {
    guard let text = String(validating: try readInput(limit: limit), as: UTF8.self) else {
      throw ToolFailure.usage("standard input is not UTF-8 text")
    }
    return text
  }
}

extension Console {
  /// The next bytes of a stream, up to a number; none at its end.
  static func readBytes(_ count: Int, from descriptor: Int32) -> Result<[UInt8], WriteFailure> {
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      let received = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if received >= 0 { return .success(Array(buffer.prefix(received))) }
      if errno != EINTR { return .failure(WriteFailure(code: errno)) }
    }
  }
}
