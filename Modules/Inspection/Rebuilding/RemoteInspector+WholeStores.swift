import ChangeTracking
import ObjectStore
import SyncProtocol

/// Whole stores that are made anew: where none of those opens that lie there, and the sets reach back to the beginning.
extension RemoteInspector {
  /// Adds whole stores to a plan.
  func addWholeStores(
    to plan: inout RepairPlan, _ verification: Verification, _ documents: [DocumentReader],
    model: ManagedObjectModel?
  ) async throws(InspectionError) {
    let isToCome = Set(plan.actions.filter { $0.change != .putAside }.compactMap(\.path.parent))
    for document in documents where lacksWholeStore(document, verification) {
      // What another copy has needs not be made.
      guard !isToCome.contains(document.hierarchy.wholeStore), document.protection != nil else { continue }
      let name = document.hierarchy.document
      guard model != nil else {
        plan.notes.append(
          "No whole store of “\(name)” opens. With --model, which names the application's model or a store of a device, another is made of the sets, if they reach back to the beginning."
        )
        continue
      }
      do {
        let device = try RepairDevice(of: document, model: model)
        guard let made = try await device.wholeStore() else {
          plan.notes.append(
            "No whole store of “\(name)” can be made of the sets: some are missing. Devices upload another once they have them."
          )
          continue
        }
        plan.scratch.append(device.scratch)
        plan.actions.append(
          RepairAction(
            path: made.path, change: .write(.made(file: made.file)),
            reason: "No whole store opens that lies there; this one is made of all sets."))
      } catch {
        if Task.isCancelled { throw .cancelled }
        if let failure = InspectionError(ofThisDevice: error) { throw failure }
        plan.notes.append("No whole store of “\(name)” can be made of the sets: \(Self.words(error))")
      }
    }
  }

  /// Whether whole stores lie there and none of them opens.
  private func lacksWholeStore(_ document: DocumentReader, _ verification: Verification) -> Bool {
    let folder = document.hierarchy.wholeStore
    return !verification.storeContents.keys.contains { $0.parent == folder }
      && verification.findings.contains { finding in
        finding.code == .wholeStoreDamaged && RemotePath(finding.path)?.parent == folder
      }
  }

  /// Why a device could not do what it was to do.
  static func words(_ error: any Error) -> String {
    if case InspectionError.noState(let reason) = error { return "\(reason)." }
    return "\(error)"
  }
}
