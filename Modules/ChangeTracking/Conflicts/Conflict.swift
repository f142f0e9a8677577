import ObjectStore

/// A remote change to a register for which a local change, not yet pushed, holds a different value.
public struct Conflict: Hashable, Sendable {
  /// What identifies the question, so that an answer finds it again.
  public struct ID: Hashable, Sendable {
    /// The object's entity.
    public var entity: String
    /// The object.
    public var object: SyncID
    /// The attribute or to-one relationship.
    public var key: String
    /// The remote change.
    public var remote: Stamp
    /// The local change: what is answered about one says nothing of a later one.
    public var local: Stamp
  }

  /// What identifies the question.
  public var id: ID
  /// What this device holds.
  public var localContent: Register.Content
  /// What the other device wrote.
  public var remoteContent: Register.Content
  /// Identifier of this device's client.
  public var localClient: String
  /// Identifier of the other device's client.
  public var remoteClient: String
  /// How it was decided; `nil` while it is open.
  public var outcome: Outcome?
  /// What remains; `nil` while it is open.
  public var settledContent: Register.Content?

  /// Which side's content remains.
  public enum Outcome: String, Hashable, Sendable {
    /// This device's.
    case local
    /// The other device's.
    case remote
    /// One given by the application.
    case custom
  }

  /// When this device wrote.
  public var local: Stamp { id.local }

  /// Whether the later stamp is the remote one.
  public var remoteIsLater: Bool { id.remote > local }

  /// What was overruled: one of the two sides, or both if the application gave another value.
  public var overridden: [OverriddenChange] {
    let here = ChangeSide(client: localClient, stamp: local, effect: .wrote(localContent))
    let there = ChangeSide(client: remoteClient, stamp: id.remote, effect: .wrote(remoteContent))
    func change(_ lost: ChangeSide, by kept: ChangeSide) -> OverriddenChange {
      OverriddenChange(entity: id.entity, object: id.object, key: id.key, lost: lost, kept: kept)
    }
    switch outcome {
    case nil: return []
    case .local: return [change(there, by: here)]
    case .remote: return [change(here, by: there)]
    case .custom:
      let answer = ChangeSide(
        client: localClient, stamp: nil, effect: .wrote(settledContent ?? localContent))
      return [change(here, by: answer), change(there, by: answer)]
    }
  }
}

/// How one conflict is decided.
public enum ConflictAnswer: Hashable, Sendable {
  /// The later change remains.
  case latest
  /// This device's value remains.
  case local
  /// The other device's value remains.
  case remote
  /// Another value takes the place of both.
  case value(AttributeValue)
}

/// How the conflicts of one merge are decided.
public enum ConflictPolicy: Sendable {
  /// Each in the same way.
  case always(ConflictAnswer)
  /// Each as answered; a merge that meets a conflict without an answer changes nothing and returns the open ones.
  case answers([Conflict.ID: ConflictAnswer])

  func answer(to conflict: Conflict.ID) -> ConflictAnswer? {
    switch self {
    case .always(let answer): answer
    case .answers(let answers): answers[conflict]
    }
  }
}
