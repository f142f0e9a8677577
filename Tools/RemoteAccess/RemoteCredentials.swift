import CommandLineTool
import Foundation
import TICDSHTTP

/// Where the credentials of a remote come from: a file that was named, the environment, or `.netrc`, in this order. Never the
/// command line, which every process can read.
public enum RemoteCredentials {
  /// A line like that of a credentials file.
  public static let variable = "TICDS_CREDENTIALS"
  static let sizeLimit = 64 << 10
  private static let content = "write “user:password” or “bearer TOKEN” there and nothing else"

  /// Finds the credentials for a host.
  ///
  /// - Parameters:
  ///   - file: a credentials file, if one was named.
  ///   - host: the host of the remote.
  /// - Throws: ``ToolFailure`` that names a file and never its content.
  public static func find(
    file: String?, host: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ToolFailure) -> Credentials {
    if let file {
      let line = try line(of: file)
      // libcurl ends a text there, so half a password would be sent.
      guard !line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) else {
        throw ToolFailure(
          .damaged, "the credentials file “\(file)” holds a control character, which no password can have",
          advice: content)
      }
      guard let last = line.last, !last.isWhitespace, line.first?.isWhitespace == false else {
        throw ToolFailure(
          .damaged,
          "the first line of the credentials file “\(file)” is empty, or begins or ends with a blank",
          advice: content)
      }
      guard let credentials = parse(line) else {
        throw ToolFailure(
          .damaged, "the credentials file “\(file)” holds neither “user:password” nor “bearer TOKEN”",
          advice: content)
      }
      return credentials
    }
    if let text = environment[variable] {
      guard let credentials = parse(text) else {
        throw ToolFailure(
          .damaged, "\(variable) holds neither “user:password” nor “bearer TOKEN”",
          advice: "set it to one of them, or name a file with --credentials-file")
      }
      return credentials
    }
    // Nobody has named this file for us, so what is wrong with it stops nothing.
    guard let netrc = netrc(environment), let text = try? content(of: netrc) else { return .none }
    return Netrc(text).credentials(for: host) ?? .none
  }

  private static func netrc(_ environment: [String: String]) -> String? {
    environment["NETRC"] ?? environment["HOME"].map { $0 + "/.netrc" }
  }

  /// The `.netrc` file that is not looked at because others may read it.
  static func ignoredFile(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
    var status = stat()
    guard let netrc = netrc(environment), stat(netrc, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o077 != 0
    else { return nil }
    return netrc
  }

  /// `user:password` or `bearer TOKEN`.
  static func parse(_ line: String) -> Credentials? {
    guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    if line.lowercased().hasPrefix("bearer ") {
      let token = line.dropFirst("bearer ".count).drop { $0 == " " }
      return token.isEmpty || token.contains(" ") ? nil : .bearer(String(token))
    }
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
    return .password(
      user: String(line[..<colon]), password: String(line[line.index(after: colon)...]))
  }

  private static func line(of file: String) throws(ToolFailure) -> String {
    // Some editors begin a file with a byte order mark.
    let text = String(try content(of: file).unicodeScalars.drop { $0 == "\u{FEFF}" })
    let line = text.prefix { !$0.isNewline }
    // Whoever has written two passwords would not learn which one was taken.
    guard text.dropFirst(line.count).allSatisfy(\.isNewline) else {
      throw ToolFailure(
        .damaged, "the credentials file “\(file)” has more than one line", advice: content)
    }
    return String(line)
  }

  private static func content(of file: String) throws(ToolFailure) -> String {
    var status = stat()
    guard stat(file, &status) == 0 else {
      throw ToolFailure(
        .notFound, "there is no file “\(file)” with credentials",
        advice: "check what --credentials-file names")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw ToolFailure(
        .usage, "“\(file)” is a directory", advice: "name a file with credentials that lies in it")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ToolFailure(
        .usage, "“\(file)” is no regular file", advice: "name a file with credentials; a pipe is not read")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw ToolFailure(
        .forbidden, "others may read the file “\(file)” with credentials", advice: "chmod 600 it")
    }
    guard let handle = FileHandle(forReadingAtPath: file),
      let data = try? handle.read(upToCount: sizeLimit + 1) ?? Data(), data.count <= sizeLimit
    else {
      throw ToolFailure(
        .forbidden, "the file “\(file)” with credentials cannot be read",
        advice: "check its owner, and that it is the right file")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ToolFailure(
        .damaged, "the file “\(file)” with credentials is no text in UTF-8",
        advice: "save it in UTF-8: “user:password” or “bearer TOKEN” and nothing else")
    }
    return text
  }
}
