import Crypto
import TICDSOpenSSL

/// libFuzzer's entry point. The checksum is mended, because without that the parser behind it would never be reached;
/// what is parsed must be written as it was read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? KeyFile(parsing: bytes)
  let mended = bytes + SHA256.hash(bytes).bytes
  guard let file = try? KeyFile(parsing: mended) else { return 0 }
  precondition(file.bytes == mended, "a key file changed when it was written")
  if file.slots.reduce(0, { $0 + $1.parameters.cost * $1.parameters.blockSize }) < 1 << 8 {
    precondition((try? file.unlock(password: "x")) == nil, "a key file that nobody locked was unlocked")
  }
  return 0
}
