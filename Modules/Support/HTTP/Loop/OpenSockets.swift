import CTICDSCurl

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The connections of one client. Lives on the thread of an ``EventLoop``.
///
/// What a server sends although nobody has asked, an answer twice for example, lies on the connection before the next request
/// goes out and would be taken for its answer. libcurl looks for that in later versions only. And a server may close a connection at the
/// moment at which it is to be used again.
final class OpenSockets {
  /// What is known of a connection.
  private enum Use { case unknown, oneAnswerAtATime, many }

  private var uses: [curl_socket_t: Use] = [:]
  /// When the last exchange over a connection ended.
  private var ends: [curl_socket_t: ContinuousClock.Instant] = [:]

  func register(_ handle: UnsafeMutableRawPointer) {
    // The board keeps this object until libcurl has closed all connections.
    let context = Unmanaged.passUnretained(self).toOpaque()
    ticds_curl_set_sockets(handle, Self.opened, Self.closing, context)
  }

  /// The connection that has a port on this side.
  func socket(atPort port: Int32) -> curl_socket_t? { uses.keys.first { Self.port(of: $0) == port } }

  /// Notes what speaks on a connection, as the first line of an answer tells.
  func note(_ line: String, on socket: curl_socket_t) {
    uses[socket] = line.hasPrefix("HTTP/1") ? .oneAnswerAtATime : .many
  }

  /// Notes that an exchange over a connection has ended.
  func noteEnd(on socket: curl_socket_t) {
    // It may have been closed meanwhile.
    if uses[socket] != nil { ends[socket] = .now }
  }

  /// Whether nobody has used a connection for `limit`.
  func isIdle(_ socket: curl_socket_t, for limit: Duration) -> Bool {
    ends[socket].map { $0.duration(to: .now) >= limit } ?? false
  }

  /// Whether a connection that was kept is of no use any more: something lies on it between two requests, or the server has closed it.
  func isSpent(_ socket: curl_socket_t) -> Bool {
    guard let use = uses[socket], use != .unknown else { return false }
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    // HTTP/2 says things at any time.
    return count == 0 || (count > 0 && use == .oneAnswerAtATime)
  }

  private static let opened: ticds_curl_opened = { context, socket, _ in
    sockets(context)?.uses[socket] = .unknown
    return CURL_SOCKOPT_OK
  }

  private static let closing: ticds_curl_closing = { context, socket in
    sockets(context)?.uses[socket] = nil
    sockets(context)?.ends[socket] = nil
    return close(socket)
  }

  private static func sockets(_ context: UnsafeMutableRawPointer?) -> OpenSockets? {
    context.map { Unmanaged<OpenSockets>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func port(of socket: curl_socket_t) -> Int32? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    // Both kinds of addresses have their port at the same place, big-endian.
    guard code == 0, [AF_INET, AF_INET6].contains(Int32(address.ss_family)) else { return nil }
    return withUnsafeBytes(of: &address) { bytes in Int32(bytes[2]) << 8 | Int32(bytes[3]) }
  }
}
