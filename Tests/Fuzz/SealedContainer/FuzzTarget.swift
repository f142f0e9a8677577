import Crypto
import TICDSOpenSSL

private let context = SealedContext(role: "fuzz", identity: "a")
private let key = try? MasterKey(SecretBytes(copying: [UInt8](repeating: 7, count: 32)))

/// libFuzzer's entry point. Input is taken as a container, so that headers are explored, and as a plaintext with a
/// damage to its container, so that segments are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let key, let segmentSize = SegmentSize(logarithm: 8) else { return -1 }
  open(bytes, with: key)

  guard bytes.count >= 4,
    let container = try? SealedContainer.seal(bytes, as: context, with: key, segmentSize: segmentSize)
  else { return 0 }
  precondition(open(container, with: key) == bytes, "a container did not give its content back")
  var damaged = container
  let place = (Int(bytes[0]) << 8 | Int(bytes[1])) % damaged.count
  if bytes[2] % 2 == 0 {
    damaged[place] ^= max(1, bytes[3])
  } else {
    damaged.removeLast(damaged.count - place)
  }
  precondition(open(damaged, with: key) == nil, "a damaged container was opened")
  return 0
}

/// Opens in memory and as a stream, which must agree.
@discardableResult
private func open(_ bytes: [UInt8], with key: MasterKey) -> [UInt8]? {
  let whole = try? SealedContainer.open(bytes, as: context, with: KeyRing(key))
  var streamed: [UInt8]? = []
  do {
    var output: [UInt8] = []
    var reader = SealedReader(as: context, with: KeyRing(key))
    for start in stride(from: 0, to: bytes.count, by: 100) {
      try reader.update(Array(bytes[start..<min(start + 100, bytes.count)]), appendingTo: &output)
    }
    try reader.finish(appendingTo: &output)
    streamed = output
  } catch {
    streamed = nil
  }
  precondition(whole == streamed, "memory and stream disagree")
  return whole
}
