import Crypto
import SyncProtocol

/// Checks whole stores as a device does that begins with one: opens them, one at a time, in a temporary folder.
struct WholeStoreChecks {
  let reader: DocumentReader

  func run(_ verification: inout Verification) async {
    for node in reader.entries {
      guard case .wholeStore(let name) = node.role, !Task.isCancelled else { continue }
      switch reader.isGenuine(name) {
      case nil: verification.locked += 1
      case false?: verification.findings.append(forged(name))
      case true?:
        verification.wholeStores += 1
        if verification.depth == .data, let finding = await check(name, node.size) {
          verification.findings.append(finding)
        }
      }
    }
  }

  private func check(_ name: WholeStoreName, _ size: Int64?) async -> Finding? {
    guard let protection = reader.protection else { return nil }
    let transfer = WholeStoreTransfer(
      backend: reader.application.backend, hierarchy: reader.hierarchy, protection: protection)
    do {
      let scratch = try ScratchFolder.temporary()
      _ = try await transfer.fetch(
        WholeStoreTransfer.Listed(name: name, size: size), through: scratch,
        to: scratch.file("store.sqlite"), progress: nil)
      return nil
    } catch let error as BackendError {
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
