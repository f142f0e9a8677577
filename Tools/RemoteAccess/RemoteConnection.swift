import CommandLineTool
import FileManagerBackend
import Foundation
import TICDSHTTP
import SyncProtocol
import UbiquityFolderBackend
import WebDAVBackend

/// A remote with all that is needed to reach it, except secrets; what a tool remembers beside a store.
public struct RemoteConnection: Codable, Equatable, Sendable {
  /// Where the remote lies, as ``RemoteLocation`` writes it.
  public let remote: String
  /// A file with credentials.
  public var credentialsFile: String?
  /// A file of PEM certificates of the authorities that are trusted, and no others.
  public var authoritiesFile: String?
  /// The only key of a server that is trusted.
  public var pinnedKey: String?
  /// A file with a certificate of this device and its key.
  public var clientCertificateFile: String?
  /// Whether credentials may go through connections that anybody can read.
  public var allowsPlainHTTP: Bool
  /// What is known of the server.
  public var report: ServerReport?

  /// A remote that needs nothing else.
  public init(_ location: RemoteLocation) {
    remote = location.description
    allowsPlainHTTP = false
  }

  /// Reads what a tool was given.
  public init(_ text: String, _ arguments: Arguments) throws(ToolFailure) {
    self.init(try RemoteLocation(text))
    credentialsFile = try arguments[Self.credentialsFile].map(Self.absolute)
    authoritiesFile = try arguments[Self.authoritiesFile].map(Self.absolute)
    pinnedKey = try arguments[Self.pinnedKey]
    clientCertificateFile = try arguments[Self.clientCertificate].map(Self.absolute)
    allowsPlainHTTP = try arguments[Self.allowPlainHTTP]
    try Self.requireServer(remote, arguments)
    if authoritiesFile != nil, pinnedKey != nil {
      throw .usage(
        "“--ca-file” and “--pin” are two ways to say which server is trusted, and only one can be kept",
        advice: "leave one out")
    }
    // Mistakes are told at once, and not when the remote is first reached.
    _ = try open()
  }

  /// Reads what was remembered.
  ///
  /// - Parameters:
  ///   - file: where it was written.
  ///   - remote: the remote if there is no such file, which then needs nothing else.
  ///   - advice: what to do if it cannot be read.
  public init(
    contentsOf file: URL, remote: String?, advice: String = "restore it from a copy"
  ) throws(ToolFailure) {
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
      guard let remote else {
        throw ToolFailure(
          .damaged, "“\(file.path(percentEncoded: false))” is missing", advice: advice)
      }
      self.init(try RemoteLocation(remote))
      return
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    } catch {
      throw ToolFailure(
        .damaged, "“\(file.path(percentEncoded: false))” is damaged", advice: advice)
    }
  }

  /// Remembers, in a file that only this user can read: where somebody keeps notes, and which server is trusted, is nobody else's
  /// business.
  public func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let data = try encoder.encode(self)
    let target = file.path(percentEncoded: false)
    let partial = "\(target).\(UUID().uuidString)"
    guard
      FileManager.default.createFile(atPath: partial, contents: data, attributes: [.posixPermissions: 0o600]),
      rename(partial, target) == 0
    else {
      let number = errno
      unlink(partial)
      throw ToolFailure(systemError: number, "“\(target)” cannot be written")
    }
  }

  /// The same, with what was remembered of the same remote wherever nothing is said.
  public func keeping(_ former: RemoteConnection) -> RemoteConnection {
    guard remote == former.remote else { return self }
    var connection = self
    connection.credentialsFile = credentialsFile ?? former.credentialsFile
    // Whom to trust is said in one of two ways.
    if authoritiesFile == nil, pinnedKey == nil {
      (connection.authoritiesFile, connection.pinnedKey) = (former.authoritiesFile, former.pinnedKey)
    }
    connection.clientCertificateFile = clientCertificateFile ?? former.clientCertificateFile
    connection.allowsPlainHTTP = allowsPlainHTTP || former.allowsPlainHTTP
    return connection
  }

  /// Makes the back end, without retries, which tells on standard error what has been waited for long. Nothing is connected yet.
  ///
  /// - Parameters:
  ///   - toLook: whether nothing may be changed, not even what crashed writers left behind.
  ///   - mark: what unfinished files bear where they are files in a folder.
  public func open(toLook: Bool = false, mark: WriterMark? = nil) throws(ToolFailure) -> any SyncBackend {
    WaitingBackend(try unwatched(toLook: toLook, mark: mark)) { wait in
      Console.standard.complain(wait.words)
    }
  }

  private func unwatched(toLook: Bool, mark: WriterMark?) throws(ToolFailure) -> any SyncBackend {
    switch try RemoteLocation(remote) {
    case .folder(let path): return FileManagerBackend(folder: path, removesAbandoned: !toLook, mark: mark)
    case .ubiquity(let path):
      return UbiquityFolderBackend(
        files: FileManagerBackend(folder: path, removesAbandoned: !toLook, mark: mark),
        container: PlaceholderContainer(folder: path))
    case .webDAV: return try webDAV()
    }
  }

  /// Removes what a writer with a mark has left unfinished in a folder of the remote, where that shows as a file.
  public func removeUnfinished(of mark: WriterMark, in folder: RemotePath) async throws(BackendError) {
    switch try? RemoteLocation(remote) {
    case .folder(let path)?, .ubiquity(let path)?:
      try await FileManagerBackend(folder: path, removesAbandoned: false, mark: mark)
        .removeUnfinished(in: folder)
    case .webDAV?, nil: return
    }
  }

  /// Makes the back end for whoever asks nothing of the remote: files with credentials and certificates are not looked at.
  public func openUnasked() throws(ToolFailure) -> any SyncBackend {
    guard case .webDAV(let address) = try RemoteLocation(remote) else { return try open(toLook: true) }
    return WebDAVBackend(address)
  }

  /// The WebDAV server, to be tested.
  public func webDAV() throws(ToolFailure) -> WebDAVBackend {
    guard case .webDAV(let address) = try RemoteLocation(remote) else {
      throw .usage("“\(remote)” is no WebDAV remote", advice: "name webdavs://host/path")
    }
    var configuration = HTTPConfiguration()
    configuration.allowsPlainCredentials = allowsPlainHTTP
    if let authoritiesFile {
      try AuthoritiesFile.check(authoritiesFile)
      configuration.trust = .authorities(inFile: authoritiesFile)
    }
    if let pinnedKey {
      guard let trust = HTTPConfiguration.Trust.pinnedKey(pinnedKey) else {
        throw .usage("“\(pinnedKey)” is no pin", advice: "name sha256// and 44 characters of base64")
      }
      configuration.trust = trust
    }
    if let clientCertificateFile {
      try ClientCertificateFile.check(clientCertificateFile)
      configuration.clientCertificate = .init(
        certificateFile: clientCertificateFile, keyFile: clientCertificateFile)
    }
    let credentials = try RemoteCredentials.find(file: credentialsFile, host: address.host)
    return WebDAVBackend(
      address, credentials: credentials, configuration: configuration, traits: report?.traits ?? .unknown)
  }

  /// Tests a server, so that what it does is known from then on. A folder must be there.
  ///
  /// - Throws: ``ToolFailure`` if the remote cannot be reached or written.
  public func tested() async throws(ToolFailure) -> RemoteConnection {
    guard case .webDAV = try RemoteLocation(remote) else {
      let folder = try open()
      do throws(BackendError) {
        _ = try await folder.list(.root)
      } catch {
        let failure = ToolFailure(error, remote: remote)
        guard error.code == .unreachable || error.code == .notFound,
          let hint = RemoteLocation.misreading(remote)
        else { throw failure }
        throw ToolFailure(failure.status, failure.message, advice: hint)
      }
      return self
    }
    var tested = self
    let server = try webDAV()
    do throws(BackendError) {
      tested.report = try await server.probe()
    } catch {
      throw ToolFailure(error, remote: remote)
    }
    return tested
  }

  /// Refuses a place on this device that lies in the remote.
  public func requireOutside(_ path: String) throws(BackendError) {
    switch try? RemoteLocation(remote) {
    case .folder(let folder)?, .ubiquity(let folder)?:
      try FileManagerBackend(folder: folder).requireOutside(path)
    case .webDAV?, nil: return
    }
  }

  /// Refuses a remote that lies in a folder of this device.
  public func requireRemote(outside path: String) throws(BackendError) {
    switch try? RemoteLocation(remote) {
    case .folder(let folder)?, .ubiquity(let folder)?:
      try FileManagerBackend(folder: path).requireOutside(folder)
    case .webDAV?, nil: return
    }
  }

  /// Refuses what says something about a server where there is none.
  private static func requireServer(_ remote: String, _ arguments: Arguments) throws(ToolFailure) {
    if case .webDAV = try RemoteLocation(remote) { return }
    guard let parameter = parameters.first(where: { arguments.contains($0) }) else { return }
    throw .usage(
      "--\(parameter.specification.name) is for WebDAV servers, and “\(remote)” is a folder",
      advice: "leave it out, or name webdavs://host/path")
  }

  private static func absolute(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
  }
}

extension RemoteConnection {
  static let credentialsFile = Parameter.optional(
    "credentials-file", placeholder: "F",
    "A file that only you can read, with the line “user:password” or “bearer TOKEN”.")
  static let authoritiesFile = Parameter.optional(
    "ca-file", placeholder: "F", "A file with the certificates of the authorities to be trusted.")
  static let pinnedKey = Parameter.optional(
    "pin", placeholder: "SHA256", "The only key of the server to be trusted: sha256// and base64.")
  static let clientCertificate = Parameter.optional(
    "client-certificate", placeholder: "F",
    "A file that only you can read, with a certificate of this device and its key, where the server asks for one."
  )
  static let allowPlainHTTP = Parameter.flag(
    "allow-plain-http", "Sends credentials also where anybody can read them: webdav:// is not encrypted.")

  /// What every command takes that is given a remote.
  public static let parameters: [any AnyParameter] = [
    credentialsFile, authoritiesFile, pinnedKey, clientCertificate, allowPlainHTTP,
  ]

  /// The options that a command was given to reach the remote, as words of a shell.
  public static func given(_ arguments: Arguments) throws(ToolFailure) -> [String] {
    var words: [String] = []
    for (option, value) in [
      ("credentials-file", try arguments[credentialsFile]), ("ca-file", try arguments[authoritiesFile]),
      ("client-certificate", try arguments[clientCertificate]),
    ] {
      if let value { words.append("--\(option) \(ShellWord.place(value))") }
    }
    if let pin = try arguments[pinnedKey] { words.append("--pin \(ShellWord.quoted(pin))") }
    if try arguments[allowPlainHTTP] { words.append("--allow-plain-http") }
    return words
  }
}
