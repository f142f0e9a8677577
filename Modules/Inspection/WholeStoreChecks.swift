import ChangeTracking
import Crypto
import SyncProtocol

/// Checks whole stores as a device does that begins with one: opens them, one at a time, in a temporary folder.
struct WholeStoreChecks {
  let reader: DocumentReader

  /// What the whole stores contain that open.
  struct Found {
    /// Of each, which sets.
    var contents: [RemotePath: VersionVector] = [:]
    /// Whether all were looked at that somebody with a key at hand has made.
    var isComplete = true
  }

  @discardableResult
  func run(_ verification: inout Verification) async -> Found {
    var found = Found()
    for node in reader.entries {
      guard case .wholeStore(let name) = node.role else { continue }
      if Task.isCancelled {
        found.isComplete = false
        break
      }
      switch reader.isGenuine(name) {
      case nil:
        // Without a founding record nobody can tell either, whether anything is encrypted or not.
        if reader.application.keys.isEncrypted { verification.locked += 1 }
        found.isComplete = false
      case false?: verification.findings.append(forged(name))
      case true?:
        verification.wholeStores += 1
        guard verification.depth == .data else {
          found.isComplete = false
          continue
        }
        if let finding = await check(name, node.size, &found) { verification.findings.append(finding) }
      }
    }
    verification.storeContents.merge(found.contents) { $1 }
    return found
  }

  private func check(_ name: WholeStoreName, _ size: Int64?, _ found: inout Found) async -> Finding? {
    guard let protection = reader.protection else { return nil }
    let transfer = WholeStoreTransfer(
      backend: reader.application.backend, hierarchy: reader.hierarchy, protection: protection)
    do {
      let scratch = try ScratchFolder.temporary()
      let snapshot = try await transfer.fetch(
        WholeStoreTransfer.Listed(name: name, size: size), through: scratch,
        to: scratch.file("store.sqlite"), progress: nil)
      found.contents[reader.hierarchy.file(of: name)] = snapshot.contents
      return nil
    } catch let error where reader.application.device.note(error) {
      found.isComplete = false
      return nil
    } catch let error as BackendError {
      found.isComplete = false
      return Finding(
        .unreadable, path: reader.hierarchy.file(of: name).description, message: error.description,
        next: error.recovery)
    } catch {
      return Finding(
        .wholeStoreDamaged, path: reader.hierarchy.file(of: name).description,
        message: "No device can begin with this whole store: \(error)",
        next: "Upload another from any device, then remove it; devices that have joined do not need it.")
    }
  }

  private func forged(_ name: WholeStoreName) -> Finding {
    Finding(
      .forgedName, path: reader.hierarchy.file(of: name).description,
      message: "Nobody who has the keys at hand has written this name; devices ignore it.",
      next: reader.forgedAdvice)
  }
}
