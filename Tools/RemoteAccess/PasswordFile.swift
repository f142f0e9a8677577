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
      data = try waiting {
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? handle.close() }
        return try handle.read(upToCount: sizeLimit + 1) ?? Data()
      }
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      throw ToolFailure(.notFound, "there is no password file “\(path)”")
    } catch {
      throw ToolFailure(.forbidden, "the password file “\(path)” cannot be read")
    }
    return try firstLine(data, "the password file “\(path)”")
  }

  /// The first line of what an open descriptor gives, a pipe for one. The descriptor stays open.
  ///
  /// - Throws: ``ToolFailure`` that names the descriptor and never what it gave.
  static func read(descriptor: Int32) throws(ToolFailure) -> String {
    let data: Data
    do {
      data = try waiting {
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).read(upToCount: sizeLimit + 1)
          ?? Data()
      }
    } catch {
      throw ToolFailure(
        .forbidden, "the descriptor \(descriptor) for a password cannot be read",
        advice: "open it for reading before the tool is started")
    }
    return try firstLine(data, "the descriptor \(descriptor) for a password")
  }

  /// A password may come through a pipe, from a program that asks for it, and that may take its time.
  private static func waiting(_ body: () throws -> Data) throws -> Data {
    try Console.standard.reading { Result { try body() } }.get()
  }

  private static func firstLine(_ data: Data, _ place: String) throws(ToolFailure) -> String {
    guard data.count <= sizeLimit, let text = String(validating: data, as: UTF8.self) else {
      throw ToolFailure(.damaged, "\(place) is not a short text in UTF-8")
    }
    // Unicode has more ends of lines, at which no editor ends one.
    let line = String(text.unicodeScalars.drop { $0 == "\u{FEFF}" }).prefix {
      !["\n", "\r\n", "\r"].contains($0)
    }
    return try checked(String(line), "the first line of \(place)")
  }

  /// A password as it may be.
  static func checked(_ password: String, _ place: String) throws(ToolFailure) -> String {
    guard let first = password.first, let last = password.last else {
      throw ToolFailure(.wrongPassword, "\(place) is empty")
    }
    guard !first.isWhitespace, !last.isWhitespace else {
      throw ToolFailure(
        .wrongPassword, "\(place) begins or ends with a blank", advice: "remove the blank")
    }
    return password
  }
}
