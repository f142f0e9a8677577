import CoreDataFormats

/// libFuzzer's entry point: whatever the bytes are, the decoders answer with a value or an error, and what they
/// accept survives being written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let limits = DecodingLimits(depth: 100, unfoldedSize: 100_000)
  if let list = try? BinaryPropertyList.decode(bytes, limits: limits) {
    // Text may have been repaired and not-a-number differs from itself, so bytes are compared, not values.
    let written = BinaryPropertyList.encode(list)
    let again = try? BinaryPropertyList.decode(written, limits: DecodingLimits(depth: 100))
    precondition(again.map(BinaryPropertyList.encode) == written, "a list changed when it was written")
  }
  if let archive = try? KeyedArchive(bytes, limits: limits) {
    for root in archive.roots.values {
      guard let value = try? archive.value(root, allowing: .any) else { continue }
      _ = KeyedArchive.encode(value)
    }
  }
  if let store = try? BinaryStore(bytes, allowing: .any, limits: limits), let written = try? store.encoded() {
    let again = try? BinaryStore(written, allowing: .any)
    precondition(again?.nodes.count == store.nodes.count, "a store changed when it was written")
  }
  _ = try? XMLStore(bytes, limits: limits)
  return 0
}
