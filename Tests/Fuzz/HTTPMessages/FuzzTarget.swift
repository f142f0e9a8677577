@testable import TICDSHTTP

/// libFuzzer's entry point: the first line is an address, the others are the head of an answer to a request there.
///
/// What is taken for an address stays one however it is combined; no head makes a request go on for ever, shows credentials to
/// another host or in the clear, or asks to wait for longer than a day.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  var reader = HeadReader()
  for line in lines.dropFirst() { reader.read(line) }
  let head = reader.head ?? HTTPHead(status: 302, fields: [("location", lines.last ?? "")])
  examine(head)
  let address = try? HTTPAddress(lines.first ?? "")
  if let address {
    check(address)
    for line in lines.dropFirst() { combine(address, line) }
  }
  for base in [address, try? HTTPAddress("https://h/dav/f/file"), try? HTTPAddress("http://h:81/")] {
    guard let base else { continue }
    for secret in [Exchange.Secret.none, .password, .token] { follow(base, secret, head) }
  }
  return 0
}

private func examine(_ head: HTTPHead) {
  if let pause = RetryAfter.pause(in: head, now: 1_800_000_000) {
    precondition(pause >= .zero && pause <= RetryAfter.limit, "a pause is out of bounds")
  }
  precondition((head.contentLength ?? 0) >= 0, "a length is negative")
  _ = head.mediaType
  for name in ["last-modified", "date"] { _ = head[name].flatMap(HTTPDate.seconds) }
  _ = Challenge.schemes(head.all("www-authenticate"))
}

private func check(_ address: HTTPAddress) {
  let text = address.description
  precondition((try? HTTPAddress(text)) == address, "an address reads otherwise when it is written")
  precondition(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an address holds what must be encoded")
  precondition(!address.authority.contains("@") && address.path.hasPrefix("/"), "a host or path is none")
}

private func combine(_ address: HTTPAddress, _ reference: String) {
  guard let target = try? address.resolving(reference) else { return }
  check(target)
  let segments = target.path.split(separator: "/")
  precondition(!segments.contains("..") && !segments.contains("."), "a path goes back")
  if let moved = address.carrying(address, to: target) { check(moved) }
}

/// Answers each request with the same head.
private func follow(_ address: HTTPAddress, _ secret: Exchange.Secret, _ head: HTTPHead) {
  for method in ["GET", "MOVE"] {
    var request = HTTPRequest(method, address)
    request.destination = method == "MOVE" ? address : nil
    var exchange = Exchange(request, secret: secret, known: nil)
    for step in 0... {
      precondition(step <= 20, "a request comes to no end")
      if exchange.authorisation != .none {
        precondition(exchange.address.host == address.host, "credentials go to another host")
        precondition(
          address.scheme == .http || exchange.address.scheme == .https, "credentials lose their encryption")
      }
      switch exchange.next(head) {
      case .repeatRequest, .renewToken: continue
      case .finish, .fail: break
      }
      break
    }
  }
}
