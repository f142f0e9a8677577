import ChangeTracking
import TICDSZlib

/// libFuzzer's entry point. The bytes are read as a file, and as the body of one, because nothing random ever gets
/// through decompression; what is read must be written and read again as the same set.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let whole = try? CompactCodec.decode(bytes, limit: 1 << 20)
  let body: [UInt8]
  if whole == nil {
    body = bytes
  } else {
    // Mutations of a genuine file go on in what it holds.
    let header = bytes.dropFirst(CompactCodec.magic.count + 1)
    let stream = header.drop { $0 >= 0x80 }.dropFirst()
    body = (try? inflate(Array(stream), format: .raw, limit: 1 << 20)) ?? []
  }
  guard let set = try? CompactCodec.decodeBody(body) else { return 0 }
  precondition(set.changes.count <= body.count, "more changes than bytes")
  let written = CompactCodec.encodeBody(set)
  guard let again = try? CompactCodec.decodeBody(written) else {
    preconditionFailure("what was written cannot be read")
  }
  precondition(again.changes.count == set.changes.count, "changes were lost")
  precondition(CompactCodec.encodeBody(again) == written, "a set changed when it was written again")
  _ = set.syncChanges
  return 0
}
