import TICDSHTTP

@testable import WebDAVBackend
import XMLReading

/// libFuzzer's entry point: bytes are the answer of a server to a listing. Whole or in pieces it is read alike; what comes of it
/// keeps to the limits, and names nothing twice and nothing that is no name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let whole = responses(bytes, piece: max(1, count))
  for piece in [1, 7] {
    let parts = responses(bytes, piece: piece)
    // Limits are looked at when a piece has come, so that whether they are exceeded depends on the pieces.
    precondition(count > limits.markup || parts == whole, "an answer is read otherwise in pieces of \(piece)")
  }
  guard let whole else { return 0 }
  precondition(whole.count <= count, "there are more responses than bytes")
  for address in addresses {
    guard let content = try? FolderContent(whole, in: address, now: 784_111_777, trustsETags: true) else {
      continue
    }
    let names = content.listing.entries.map(\.name.description) + content.abandoned
    precondition(Set(names).count == names.count, "a name is listed twice")
    precondition(!names.contains { $0.contains("/") || $0 == "." || $0 == ".." }, "a name leads elsewhere")
    precondition(content.listing.entries.allSatisfy { ($0.size ?? 0) >= 0 }, "a size is negative")
  }
  return 0
}

private let limits: XMLLimits = {
  var limits = XMLLimits()
  limits.document = 6_000
  limits.markup = 2_000
  limits.declarations = 8
  return limits
}()

private let addresses = ["https://h/dav/f/", "http://127.0.0.1:8080/", "http://[::1]/a%20b"].compactMap {
  try? HTTPAddress($0)
}

private func responses(_ bytes: [UInt8], piece: Int) -> [MultistatusResponse]? {
  var reader = MultistatusReader(limits: limits)
  do {
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try reader.read(bytes[start..<min(start + piece, bytes.count)])
    }
    return try reader.finish()
  } catch {
    return nil
  }
}
