import Crypto
import Foundation
import TICDSOpenSSL

/// The key file of a remote that opens with a password at hardly any cost.
///
/// Trying a password of standard cost takes nearly half a second of a core, ten times as long as all else that a program does. A remote that
/// holds only a key file is one whose first device was interrupted, so the next one goes on with it.
struct CheapKeyFile {
  let password: String

  /// Puts it into a remote that nobody has founded; does nothing in any other.
  func found(_ remote: URL) throws {
    let application = remote.appending(path: "ticds.notebook")
    guard !FileManager.default.fileExists(atPath: application.path) else { return }
    let (file, key) = try KeyFile.create(
      password: password, parameters: Scrypt.Parameters(cost: 16, blockSize: 8, parallelization: 1))
    let folder = application.appending(path: "Encryption")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let digits = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    try Data(file.bytes).write(to: folder.appending(path: "\(key.identifier).\(digits).keys"))
  }
}
