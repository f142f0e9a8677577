/// Something on a remote that is not as it should be.
public struct Finding: Hashable, Sendable {
  /// How much it matters.
  public enum Severity: String, Hashable, Sendable {
    /// Data are lost, damaged or not genuine.
    case error
    /// Something is missing or late that may still arrive.
    case warning
    /// Harmless, but a person may want to know.
    case hint
  }

  /// What kind of finding it is: coarser than a ``Code``, and as stable.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An entry that is not ours.
    case foreignEntry
    /// A file whose bytes do not have the hash in its name.
    case damagedFile
    /// A file that was sealed with another key, for another place, or changed since.
    case notAuthentic
    /// A file whose content contradicts its format.
    case undecodable
    /// A file whose content belongs to another name.
    case misplaced
    /// A file that is not encrypted although the remote is.
    case notSealed
    /// A set that does not continue the one before it.
    case brokenChain
    /// A set that is missing between others.
    case gap
    /// A head names a set that is not there.
    case missingSet
    /// A set mentions a long value that is not there.
    case missingValue
    /// A long value that no set mentions.
    case unusedValue
    /// A set that no head names yet.
    case unpublishedSet
    /// Two sets of one author with one number: two copies of a store went on under one name.
    case rivalSets
    /// Sets of an author that has no head.
    case missingHead
    /// A part of the hierarchy that is missing.
    case incompleteHierarchy
    /// A name that nobody with the key has written.
    case forgedName
    /// More than one founding record: two clients were first at once.
    case rivalCreation
    /// A document in a format that this version does not read.
    case unknownFormat
    /// An entry that could not be read.
    case unreadable
  }

  /// What exactly was found.
  public let code: Code
  /// What kind of finding it is.
  public var kind: Kind { code.kind }
  /// How much it matters.
  public var severity: Severity { code.severity }
  /// Where, relative to the remote's root.
  public let path: String
  /// What was found, in one sentence.
  public let message: String
  /// What to do next: a command, or an action on a device.
  public let next: String

  /// Describes a finding.
  public init(_ code: Code, path: String, message: String, next: String) {
    self.code = code
    self.path = path
    self.message = message
    self.next = next
  }
}
