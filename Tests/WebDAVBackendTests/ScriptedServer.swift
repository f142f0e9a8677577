import Foundation
import Locking
import Testing

/// A server in this process that answers what a test says, also what no real server can be brought to say.
final class ScriptedServer: Sendable {
  struct Request: Sendable {
    let method: String
    let path: String
    /// By names in lower case.
    let fields: [String: String]
  }

  /// What goes over the connection, head and all.
  struct Answer: Sendable {
    var bytes: [UInt8]
    var closes = false
    /// What follows several times a second, without an end.
    var drip: [UInt8] = []

    init(raw text: String, closes: Bool = false) { (bytes, self.closes) = (Array(text.utf8), closes) }

    init(_ status: Int, _ fields: [(String, String)] = [], body: String = "", length: String? = nil) {
      self.init(status, fields, body: Array(body.utf8), length: length)
    }

    init(_ status: Int, _ fields: [(String, String)] = [], body: [UInt8], length: String? = nil) {
      let lines =
        ["HTTP/1.1 \(status) x"] + fields.map { "\($0): \($1)" } + [
          "Content-Length: \(length ?? "\(body.count)")"
        ]
      bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// A listing of a folder, with further responses in it.
    static func listing(_ path: String, _ more: String = "") -> Answer {
      Answer(207, [("Content-Type", "application/xml")], body: folder(path, more))
    }

    /// What is said of a file.
    static func file(_ path: String, length: Int?) -> Answer {
      let size = length.map { "<D:getcontentlength>\($0)</D:getcontentlength>" } ?? ""
      return Answer(
        207, [("Content-Type", "application/xml")],
        body: """
          <D:multistatus xmlns:D="DAV:"><D:response><D:href>\(path)</D:href><D:propstat><D:prop><D:resourcetype/>\
          \(size)</D:prop><D:status>HTTP/1.1 200 OK</D:status>\
          </D:propstat></D:response></D:multistatus>
          """)
    }

    static func folder(_ path: String, _ more: String = "") -> String {
      """
      <D:multistatus xmlns:D="DAV:"><D:response><D:href>\(path)</D:href><D:propstat><D:prop><D:resourcetype>\
      <D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\(more)\
      </D:multistatus>
      """
    }
  }

  typealias Script = @Sendable (Request) -> Answer?
  let address: String
  private let listener: Int32
  private let seen = Locked<[Request]>([])

  /// - Parameter script: returns the answer to a request; nothing if the request is to hang.
  init(_ script: @escaping Script) throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let listener = socket(AF_INET, kind, 0)
    try #require(listener >= 0)
    self.listener = listener
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(listener, generic, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, generic, &length) == 0
      }
    }
    try #require(isBound)
    address = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
    let seen = seen
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        Thread.detachNewThread { Self.serve(connection, seen, script) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// What has been asked so far.
  var requests: [Request] { seen.withLock { $0 } }

  private static func serve(_ connection: Int32, _ seen: Locked<[Request]>, _ script: Script) {
    defer { close(connection) }
    var pending: [UInt8] = []
    while let request = receive(connection, &pending) {
      seen.withLock { $0.append(request) }
      guard let answer = script(request) else {
        // Until the client gives up.
        var byte: UInt8 = 0
        _ = recv(connection, &byte, 1, 0)
        return
      }
      guard send(answer.bytes, connection), !answer.closes else { return }
      while !answer.drip.isEmpty {
        guard send(answer.drip, connection) else { return }
        usleep(100_000)
      }
    }
  }

  private static func receive(_ connection: Int32, _ pending: inout [UInt8]) -> Request? {
    let mark = Array("\r\n\r\n".utf8)
    func more() -> Bool {
      var space = [UInt8](repeating: 0, count: 64 << 10)
      let count = recv(connection, &space, space.count, 0)
      pending += space.prefix(max(0, count))
      return count > 0
    }
    var end: Range<Int>?
    while true {
      end = pending.firstRange(of: mark)
      if end != nil { break }
      guard more() else { return nil }
    }
    guard let end else { return nil }
    let lines = String(decoding: pending[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ").map(String.init)
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    pending.removeFirst(end.upperBound)
    if fields["expect"] != nil { _ = send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), connection) }
    let size = fields["content-length"].flatMap(Int.init) ?? 0
    while pending.count < size { guard more() else { return nil } }
    pending.removeFirst(size)
    guard words.count == 3 else { return nil }
    return Request(method: words[0], path: words[1], fields: fields)
  }

  private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}
