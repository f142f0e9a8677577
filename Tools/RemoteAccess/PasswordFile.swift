import CommandLineTool
import Foundation

/// A file that holds a password, so that none appears on a command line, where every process could read it.
public enum PasswordFile {
  static let sizeLimit = 4096

  /// The first line of the file. Nothing else is trimmed.
  ///
  /// - Throws: ``ToolFailure`` that names the file and never its content.
  public static func read(_ path: String) throws(ToolFailure) -> String {
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? handle.close() }
      data = try handle.read(upToCount: sizeLimit + 1) ?? Data()
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      throw ToolFailure(.notFound, "there is no password file “\(path)”")
    } catch {
      throw ToolFailure(.forbidden, "the password file “\(path)” cannot be read")
    }
    guard data.count <= sizeLimit, let text = String(validating: data, as: UTF8.self) else {
      throw ToolFailure(.damaged, "the password file “\(path)” is not a short text in UTF-8")
    }
    let line = text.prefix { !$0.isNewline }
    guard !line.isEmpty else {
      throw ToolFailure(.wrongPassword, "the first line of the password file “\(path)” is empty")
    }
    return String(line)
  }
}
