import Locking

/// What changed in a store with one commit.
public struct ObjectChanges: Sendable, Hashable {
  /// Objects that are new.
  public var inserted: [ObjectID]
  /// Objects of which values or relationships changed.
  public var updated: [ObjectID]
  /// Objects that are gone.
  public var deleted: [ObjectID]

  /// Lists the changes of one commit.
  public init(inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// Who wants to hear of commits.
struct StoreListeners: Sendable {
  var contexts: [ObjectIdentifier: ChangeMailbox] = [:]
  var streams: [Int: AsyncStream<ObjectChanges>.Continuation] = [:]
  var nextStream = 0

  func hasOthers(than mailbox: ChangeMailbox?) -> Bool {
    !streams.isEmpty || contexts.count > (mailbox == nil ? 0 : 1)
  }
}

/// Changes that other contexts committed and that one context has not looked at yet.
final class ChangeMailbox: Sendable {
  private let pending = Locked<[ObjectChanges]>([])

  func post(_ changes: ObjectChanges) {
    pending.withLock { $0.append(changes) }
  }

  func take() -> [ObjectChanges] {
    pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
  }
}

extension PersistentStore {
  /// What is committed to the store by this process, commit by commit, until the iteration is cancelled.
  public var changes: AsyncStream<ObjectChanges> {
    AsyncStream { continuation in
      let number = listeners.withLock { listeners in
        listeners.nextStream += 1
        listeners.streams[listeners.nextStream] = continuation
        return listeners.nextStream
      }
      continuation.onTermination = { [weak self] _ in
        self?.listeners.withLock { _ = $0.streams.removeValue(forKey: number) }
      }
    }
  }

  /// Informs all contexts and listeners of changes that were committed without a context, for example by a ``RowEditor``.
  ///
  /// Contexts take them up the next time they fetch or save.
  public func announce(_ changes: ObjectChanges) {
    announce(changes, from: nil)
  }

  func announce(_ changes: ObjectChanges, from origin: ChangeMailbox?) {
    if changes.isEmpty { return }
    let (mailboxes, streams) = listeners.withLock { (Array($0.contexts.values), Array($0.streams.values)) }
    for mailbox in mailboxes where mailbox !== origin { mailbox.post(changes) }
    for stream in streams { stream.yield(changes) }
  }
}
