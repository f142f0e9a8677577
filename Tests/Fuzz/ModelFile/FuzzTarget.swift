import ObjectStore

/// libFuzzer's entry point: bytes are a model or an error, and a model that was read from XML can be written as XML without
/// changing its version hashes. Run it with `-detect_leaks=0`: Foundation leaks the text of errors in XML.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? ManagedObjectModel(modelCache: bytes)
  guard let model = try? ManagedObjectModel(modelFile: bytes) else { return 0 }
  guard bytes.first == UInt8(ascii: "<") else {
    _ = model.xml
    return 0
  }
  let again = try? ManagedObjectModel(modelFile: Array(model.xml.utf8))
  precondition(again?.versionHashes == model.versionHashes, "a model changed when it was written")
  return 0
}
