import Crypto
import TICDSOpenSSL

private let secret = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
private let key = try? ClassicKey(secret)

/// libFuzzer's entry point. The authentication code is mended, because without that the decryption behind it would
/// never be reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let key else { return -1 }
  precondition((try? ClassicContainer.open(bytes, with: key)) == nil, "a code was guessed")
  let mended = bytes + HMACSHA256.authenticate(bytes, key: secret)
  if let plaintext = try? ClassicContainer.open(mended, with: key) {
    precondition(plaintext.count < mended.count, "a container grew when it was opened")
  }
  return 0
}
