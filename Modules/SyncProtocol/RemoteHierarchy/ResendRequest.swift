import ChangeTracking

/// A file in `RecentSyncs` by which a device asks for something that storage has lost or damaged. Its name says everything, so
/// the listing that every sync makes tells it to whoever can help; there is no content.
///
/// `<asker>.<author>.<sequence>.<count>.<code>.resend` asks for a set, `<asker>.<digits of the name>.<count>.<code>.resend-value`
/// for a long value. The code proves that a member of the document asks. The count grows each time that the device asks again, so that an answer is given once to each. The asker removes the
/// file when it has what it asked for.
public struct ResendRequest: CodedName, Hashable, Comparable, Sendable {
  /// What is asked for.
  public enum Subject: Hashable, Sendable {
    /// A set.
    case set(author: AuthorID, sequence: UInt64)
    /// A long value, by the digits of its file's name.
    case value(ContentHash)
  }

  /// Who asks.
  public let asker: AuthorID
  /// What is asked for.
  public let subject: Subject
  /// How often it was asked for, from 1.
  public let count: Int

  /// Proves that the asker had the key.
  public let code: NameCode

  package static let purpose = "resend"
  private static let setSuffix = ".resend"
  private static let valueSuffix = ".resend-value"
  static let countLimit = 9_999

  /// Asks for something.
  init(asker: AuthorID, subject: Subject, count: Int, code: NameCode) {
    self.asker = asker
    self.subject = subject
    self.count = Self.clamped(count)
    self.code = code
  }

  private static func clamped(_ count: Int) -> Int { min(max(count, 1), countLimit) }

  /// Reads a name; `nil` if it is none of a request.
  public init?(_ name: RemoteName) {
    let text = name.description
    let isSet = text.hasSuffix(Self.setSuffix)
    guard isSet || text.hasSuffix(Self.valueSuffix) else { return nil }
    let suffix = isSet ? Self.setSuffix : Self.valueSuffix
    let parts = text.dropLast(suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == (isSet ? 5 : 4), let asker = AuthorID(parts[0]),
      let code = NameCode(parts[parts.count - 1])
    else { return nil }
    let number = parts[parts.count - 2]
    guard number.utf8.count == 4, number.utf8.allSatisfy({ (48...57).contains($0) }),
      let count = Int(number), count >= 1
    else { return nil }
    if isSet {
      guard let author = AuthorID(parts[1]), let sequence = FixedWidth.number(parts[2]), sequence > 0 else {
        return nil
      }
      self.init(asker: asker, subject: .set(author: author, sequence: sequence), count: count, code: code)
    } else {
      guard let digits = ContentHash(parts[1]) else { return nil }
      self.init(asker: asker, subject: .value(digits), count: count, code: code)
    }
  }

  /// What the name says, without the code.
  static func statement(asker: AuthorID, subject: Subject, count: Int) -> String {
    let digits = String(clamped(count))
    let number = String(repeating: "0", count: 4 - digits.utf8.count) + digits
    return switch subject {
    case .set(let author, let sequence): "\(asker).\(author).\(FixedWidth.text(sequence)).\(number)"
    case .value(let digits): "\(asker).\(digits).\(number)"
    }
  }

  /// What the name says, without the code.
  package var statement: String { Self.statement(asker: asker, subject: subject, count: count) }

  /// The file's name.
  public var name: RemoteName {
    let suffix =
      switch subject {
      case .set: Self.setSuffix
      case .value: Self.valueSuffix
      }
    return RemoteName(trusted: "\(statement).\(code)\(suffix)")
  }

  /// Orders by name.
  public static func < (left: ResendRequest, right: ResendRequest) -> Bool { left.name < right.name }
}
