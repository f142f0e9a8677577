import SyncProtocol

/// Makes a folder and those above it, as far as they are missing; never the root.
///
/// Servers say in many ways that a folder exists (405, 409, 301, even 201) or that the one above is missing (409, 404, 403):
/// what is not a plain success is looked at.
struct MakeFolderOperation: DAVOperation {
  private enum State {
    case lookingForRoot(Failure?)
    case making
    case looking(Failure?)
  }

  private let path: RemotePath
  private let traits: ServerTraits
  private var current: RemotePath
  /// What is made once the folder above it is there; the outermost last.
  private var waiting: [RemotePath] = []
  private var isGoingDown = false
  private var state = State.making

  init(_ path: RemotePath, traits: ServerTraits) {
    self.path = path
    self.traits = traits
    current = path
  }

  mutating func start() -> DAVStep {
    guard path != .root else {
      state = .lookingForRoot(nil)
      return .send(.look(.root))
    }
    return .send(.makeFolder(current))
  }

  mutating func next(_ reply: DAVReply) -> DAVStep {
    switch state {
    case .lookingForRoot(let failure): return lookedForRoot(reply, failure)
    case .making:
      if reply.failure == nil, traits.makesFoldersOnce { return advance() }
      // 423 is what some servers say of a folder that another client is just making, too.
      guard
        reply.failure == nil || reply.isAmbiguous || reply.failure?.code == .locked
          || reply.failure?.code == .unsupported
      else { return fail(reply) }
      state = .looking(reply.failure)
      return .send(.look(current))
    case .looking(let failure): return looked(reply, failure)
    }
  }

  private mutating func looked(_ reply: DAVReply, _ failure: Failure?) -> DAVStep {
    switch reply {
    case .found(.folder): return advance()
    case .found(.file): return .fail(BackendError(.notADirectory, path: current))
    case .found(nil):
      guard let failure else {
        // A listing may be behind what was done.
        return .fail(Failure(.unreachable, "the server made no folder", .expectSense).error(at: current))
      }
      // Only refusals that may be about the folder above are a reason to make that.
      let isAboutFolder = [.notFound, .forbidden, .unsupported, .failed, .unreachable].contains(failure.code)
      guard isAboutFolder, !isGoingDown, let parent = current.parent else {
        return .fail(resolved(failure).error(at: current))
      }
      guard parent != .root else {
        state = .lookingForRoot(failure)
        return .send(.look(.root))
      }
      waiting.append(current)
      current = parent
      state = .making
      return .send(.makeFolder(current))
    default: return fail(reply)
    }
  }

  private mutating func lookedForRoot(_ reply: DAVReply, _ failure: Failure?) -> DAVStep {
    switch reply {
    case .found(.folder):
      guard let failure else { return .finish }
      return .fail(resolved(failure).error(at: current))
    case .found:
      return .fail(Failure.noRoot.error(at: path))
    default: return fail(reply)
    }
  }

  private func fail(_ reply: DAVReply) -> DAVStep {
    .fail((reply.failure ?? .unexpected).withoutFile(needsRoom: true).error(at: path))
  }

  /// Goes on with the next folder further down.
  private mutating func advance() -> DAVStep {
    guard let next = waiting.popLast() else { return .finish }
    isGoingDown = true
    current = next
    state = .making
    return .send(.makeFolder(current))
  }

  /// The folder above is there, so it is not that which was not found; and nothing is in the way.
  private func resolved(_ failure: Failure) -> Failure {
    failure.code == .notFound || failure.code == .alreadyExists ? failure.contradicted() : failure
  }
}
