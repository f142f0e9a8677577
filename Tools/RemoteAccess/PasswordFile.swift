import CommandLineTool
import Foundation

/// A file that holds a password, so that none appears on a command line, where every process could read it.
public enum PasswordFile {
  static let sizeLimit = 4096

  /// The first line of the file, without the byte order mark that some editors begin a file with.
  ///
  /// A blank at either end is refused: nobody sees it, and with it a right password is a wrong one.
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
    let line = String(text.unicodeScalars.drop { $0 == "\u{FEFF}" }).prefix { !$0.isNewline }
    guard !line.isEmpty else {
      throw ToolFailure(.wrongPassword, "the first line of the password file “\(path)” is empty")
    }
    guard let first = line.first, let last = line.last, !first.isWhitespace, !last.isWhitespace else {
      throw ToolFailure(
        .wrongPassword, "the first line of the password file “\(path)” begins or ends with a blank",
        advice: "remove the blank")
    }
    return String(line)
  }
}
