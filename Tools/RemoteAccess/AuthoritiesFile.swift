import CommandLineTool
import Foundation

/// A file with the certificates of authorities, as PEM.
enum AuthoritiesFile {
  private static let sizeLimit = 4 << 20
  private static let mark = Data("-----BEGIN CERTIFICATE-----".utf8)

  /// Refuses what is no such file, for of that libcurl says only that no server is trusted.
  static func check(_ path: String) throws(ToolFailure) {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ToolFailure(
        .notFound, "there is no file “\(path)” with certificates", advice: "check what --ca-file names")
    }
    guard !isDirectory.boolValue else {
      throw .usage("“\(path)” is a directory", advice: "name a file of certificates with --ca-file")
    }
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: sizeLimit) ?? Data()
    else { throw ToolFailure(.forbidden, "the file “\(path)” with certificates cannot be read") }
    guard data.range(of: mark) != nil else {
      throw ToolFailure(
        .damaged, "the file “\(path)” holds no certificate",
        advice: "name a file with lines “-----BEGIN CERTIFICATE-----” with --ca-file")
    }
  }
}
