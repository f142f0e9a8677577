import SyncProtocol

/// Removes a file, or a folder with everything in it.
struct RemoveOperation: DAVOperation {
  private enum State {
    case deleting
    case looking(Failure)
    case deletingFolder
    case diagnosing(Diagnosis)
  }

  private let path: RemotePath
  private var state = State.deleting

  init(_ path: RemotePath) { self.path = path }

  mutating func start() -> DAVStep {
    guard path != .root else { return .fail(BackendError(.isADirectory, path: path)) }
    return .send(.delete(Target(path)))
  }

  mutating func next(_ reply: DAVReply) -> DAVStep {
    switch state {
    case .deleting:
      guard let failure = reply.failure else { return .finish }
      if failure.code == .notFound, case .status(404, _) = reply { return absent() }
      guard reply.isAmbiguous else { return fail(failure) }
      state = .looking(failure)
      return .send(.look(path))
    case .looking(let failure):
      switch reply {
      case .found(.folder):
        state = .deletingFolder
        return .send(.delete(Target(path, isFolder: true)))
      case .found(.file): return fail(resolved(failure))
      case .found(nil): return absent()
      default: return fail(reply.failure ?? failure)
      }
    case .deletingFolder:
      guard let failure = reply.failure else { return .finish }
      if case .status(404, _) = reply { return absent() }
      return fail(resolved(failure))
    case .diagnosing(var diagnosis):
      return step(diagnosis.next(reply), diagnosis)
    }
  }

  private func fail(_ failure: Failure) -> DAVStep {
    .fail(failure.withoutFile(needsRoom: true).error(at: path))
  }

  /// What the server calls missing was there when it was looked for, and no condition was sent that could have failed.
  private func resolved(_ failure: Failure) -> Failure {
    failure.code == .notFound || failure.code == .alreadyExists ? failure.contradicted() : failure
  }

  private mutating func absent() -> DAVStep {
    let diagnosis = Diagnosis(path, .using, Failure(.notFound), isAbsent: true)
    return step(diagnosis.start(), diagnosis)
  }

  private mutating func step(_ step: Diagnosis.Step, _ diagnosis: Diagnosis) -> DAVStep {
    switch step {
    case .look(let subject):
      state = .diagnosing(diagnosis)
      return .send(.look(subject))
    case .verdict(let error), .appeared(let error): return .fail(error)
    }
  }
}
