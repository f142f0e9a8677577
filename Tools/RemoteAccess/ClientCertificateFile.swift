import CommandLineTool
import Foundation

/// A file with a certificate of this device and its key, as PEM.
enum ClientCertificateFile {
  private static let sizeLimit = 1 << 20

  /// Refuses what is no such file, for of that libcurl says little, and a key that others may read. A key with a pass phrase would be asked for at
  /// the terminal, amid everything else.
  static func check(_ path: String) throws(ToolFailure) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw ToolFailure(
        .notFound, "there is no file “\(path)” with a client certificate",
        advice: "check what --client-certificate names")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .usage("“\(path)” is no regular file", advice: "name a file with --client-certificate")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw ToolFailure(
        .forbidden, "others may read the key in the file “\(path)”", advice: "chmod 600 it")
    }
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: sizeLimit) ?? Data()
    else { throw ToolFailure(.forbidden, "the file “\(path)” with a client certificate cannot be read") }
    let text = String(decoding: data, as: UTF8.self)
    guard text.contains("-----BEGIN CERTIFICATE-----"), text.contains("PRIVATE KEY-----") else {
      throw ToolFailure(
        .damaged, "the file “\(path)” does not hold a certificate and its key",
        advice: "put both into it, as PEM: “-----BEGIN CERTIFICATE-----” and “-----BEGIN PRIVATE KEY-----”")
    }
    guard !text.contains("ENCRYPTED") else {
      throw ToolFailure(
        .unsupported, "the key in the file “\(path)” has a pass phrase",
        advice: "take it off with “openssl pkey”; the file is for you alone")
    }
  }
}
