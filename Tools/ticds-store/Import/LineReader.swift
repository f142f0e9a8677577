import CommandLineTool
import Foundation
import StoreAccess

/// Where lines come from.
struct LineSource: Sendable {
  /// Begins to read; what is returned gives the next bytes, and none at the end.
  let open: @Sendable () throws -> () throws -> [UInt8]

  private static let chunk = 256 << 10

  /// - Throws: ``ToolFailure`` if there is no such file.
  static func file(_ path: String) throws(ToolFailure) -> LineSource {
    let failure = { @Sendable (number: Int32) in
      ToolFailure(systemError: number, "“\(path)” cannot be read", advice: "check the path")
    }
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    return LineSource {
      {
        var buffer = [UInt8](repeating: 0, count: chunk)
        while true {
          let count = buffer.withUnsafeMutableBytes {
            Foundation.read(handle.fileDescriptor, $0.baseAddress, $0.count)
          }
          if count >= 0 { return Array(buffer.prefix(count)) }
          if errno != EINTR { throw failure(errno) }
        }
      }
    }
  }

  static func standardInput(_ console: Console) -> LineSource {
    LineSource { { try console.readInput(upTo: chunk) } }
  }
}

/// Takes a stream of bytes apart into lines; holds one of them, and no more than ``limit`` bytes.
struct LineReader {
  /// The longest line: beyond that no object of a store is written.
  static let limit = 512 << 20

  private let more: () throws -> [UInt8]
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The number of the line that was read last, counted from 1.
  private(set) var number = 0

  init(_ more: @escaping () throws -> [UInt8]) { self.more = more }

  /// The next line without its end; `nil` after the last.
  mutating func next() throws -> [UInt8]? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { position = end + 1 }
        number += 1
        return Array(buffer[position..<end])
      }
      searched = buffer.count
      if isAtEnd {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        number += 1
        return Array(buffer[position...])
      }
      guard buffer.count - position <= Self.limit else {
        throw ToolFailure(
          .damaged, "line \(number + 1) is longer than \(Self.limit >> 20) MiB",
          advice: "write one object a line, and leave out values that are longer")
      }
      let bytes = try more()
      if bytes.isEmpty { isAtEnd = true }
      buffer.removeFirst(position)
      searched -= position
      position = 0
      buffer += bytes
    }
  }
}
