import Crypto
import SyncProtocol

/// Why a remote cannot be inspected at all. What is wrong with single files is a ``Finding``.
public indirect enum InspectionError: Error, Sendable {
  /// The storage failed.
  case storage(BackendError)
  /// No key file opens with the password.
  case wrongPassword
  /// No key file opens with the password, and those of these keys, which founding records name, are not there.
  case keyFilesLate([KeyIdentifier])
  /// The password opens none of the key files that could be read, and the storage does not hand out another.
  case keyFileRefused(BackendError)
  /// There are more key files than a password is tried on at once, and it opens none of those that it was tried on.
  case keyFilesCrowded(tried: Int, of: Int)
  /// What was asked for is encrypted, and no password was given.
  case passwordNeeded
  /// There are no sync data on the remote.
  case nothingThere
  /// There are no sync data on the remote, and links lie where folders of applications belong: nobody follows them. Their names follow.
  case onlyLinks([String])
  /// Sync data lie in a folder whose name no device looks for; its name follows, and the right one as far as it is proven.
  case underOtherName(String, right: String?)
  /// What was named is a folder within a remote.
  case withinHierarchy
  /// What was named is the folder around a remote, whose name follows.
  case aroundRemote(String)
  /// What was named holds a folder with sync data in a folder of the same name, which follows: it was moved into itself, or this is the folder
  /// around a remote.
  case withinItself(String)
  /// A key file cannot be used.
  case keyFile(path: String, CryptoError)
  /// There is no such file, or it may not be read.
  case noFile(String)
  /// There is no such document, or none was named and there are several; those that are there follow.
  case noDocument(String?, among: [String])
  /// No device is called so, or several are; the names of all of them, or the authors of those, follow.
  case noDevice(String, among: [String], isAmbiguous: Bool)
  /// The state that was asked for cannot be made of what lies there, for this reason.
  case noState(String)
  /// A document is not rebuilt, for parts of it lie under other names and would be taken for lost; where they belong follows.
  case partsElsewhere(document: String, [String])
  /// Another copy of the remote cannot be used, for this reason.
  case copy(InspectionError)
  /// The calling task was cancelled.
  case cancelled

  /// A key file is damaged.
  static func keyFile(unusable path: RemotePath) -> InspectionError {
    .keyFile(
      path: path.description,
      CryptoError(
        .damaged, "it is no key file, holds another key than its name says, or is not delivered in full"))
  }

  /// Whether the password opens nothing.
  package var isAboutPassword: Bool {
    switch self {
    case .wrongPassword, .keyFilesLate, .keyFileRefused, .keyFilesCrowded: true
    default: false
    }
  }

  /// Whether it follows from what files of keys hold.
  var isAboutKeys: Bool {
    if case .keyFile = self { true } else { isAboutPassword }
  }

  /// What a person can do about it.
  public var recovery: String {
    switch self {
    case .storage(let error), .keyFileRefused(let error): error.recovery
    case .wrongPassword: "Check the password."
    case .keyFilesLate:
      "Wait until the storage has delivered all files, or put “Encryption” back from a copy of the remote; if it stays so, check the password."
    case .keyFilesCrowded:
      "The password may be right all the same. Move the key files that others have put there out of “Encryption”; a device that has joined puts the right one back within a day."
    case .passwordNeeded: "Give the password."
    case .nothingThere: "Check that this is the folder that the devices were given as their remote."
    case .onlyLinks: "Move what they lead to in their place, or put it back from a copy of the remote."
    case .underOtherName(let name, let right):
      right.map { "Rename the folder “\(name)” to “\($0)”." }
        ?? "Give the folder “\(name)” the name that it had: the identifier of the application."
    case .withinHierarchy: "Name the folder that the devices were given, above this one."
    case .aroundRemote(let name): "Name the folder “\(name)” in it."
    case .withinItself(let name):
      "If the devices were given this folder, move what lies in “\(name)/\(name)” up into “\(name)”; if they were given “\(name)”, name that."
    case .keyFile: "Restore the file from a copy; without it the data cannot be read."
    case .noFile: "Check the path; `ticds-inspect tree` lists the files of a remote."
    case .noDocument: "Name one of the documents that are there."
    case .noDevice: "Name one of the devices that are there; where several have one name, by author."
    case .noState: "Ask for another moment, or restore the files from a copy of the remote."
    case .partsElsewhere:
      "Give them their names, as the verification says; then look whether anything is missing."
    case .copy(let error): error.recovery
    case .cancelled: "Run the inspection again."
    }
  }
}
