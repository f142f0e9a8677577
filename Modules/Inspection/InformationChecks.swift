import Crypto
import SyncProtocol

/// Checks the small files that describe clients, documents and keys.
struct InformationChecks {
  let backend: any SyncBackend
  let remote: String

  func findings(in tree: RemoteNode) async -> [Finding] {
    var findings: [Finding] = []
    for node in tree.all {
      guard let path = node.path else { continue }
      switch node.role {
      case .deviceInformation(let client): findings += await device(path, client)
      case .documentInformation: findings += await document(path)
      case .keyFile: findings += await keyFile(path)
      case .folder: findings += rivals(node, path)
      default: break
      }
    }
    return findings
  }

  private func device(_ path: RemotePath, _ client: String) async -> [Finding] {
    await check(path, limit: InformationFile.sizeLimit) { bytes in
      let information: DeviceInformation
      do {
        information = try DeviceInformation(bytes)
      } catch {
        return undecodable(path, error, next: "Sync the device “\(client)”; it writes the file anew.")
      }
      guard information.identifier != client else { return [] }
      return [
        Finding(
          .misplaced, .error, path: path.description,
          message: "The file describes the client “\(information.identifier)”.",
          next: "Compare it with a copy of the remote.")
      ]
    }
  }

  private func document(_ path: RemotePath) async -> [Finding] {
    await check(path, limit: InformationFile.sizeLimit) { bytes in
      let information: DocumentInformation
      do {
        information = try DocumentInformation(bytes)
      } catch {
        return undecodable(path, error, next: "Restore the file from a copy of the remote.")
      }
      let folder = path.parent?.name?.description ?? ""
      if information.identifier != folder {
        return [
          Finding(
            .misplaced, .error, path: path.description,
            message: "The file describes the document “\(information.identifier)”.",
            next: "Compare it with a copy of the remote.")
        ]
      }
      if case .compact(DocumentInformation.compactVersion) = information.format { return [] }
      return [
        Finding(
          .unknownFormat, .warning, path: path.description,
          message: "The document is in a format that this version does not verify.",
          next: "Use the version of the tools that belongs to the application.")
      ]
    }
  }

  private func keyFile(_ path: RemotePath) async -> [Finding] {
    await check(path, limit: ApplicationKeys.sizeLimit) { bytes in
      do {
        _ = try KeyFile(parsing: bytes)
        return []
      } catch {
        return undecodable(path, error, next: "Restore the file from a copy; without it nothing can be read.")
      }
    }
  }

  private func rivals(_ folder: RemoteNode, _ path: RemotePath) -> [Finding] {
    let rivals = folder.children.filter { $0.role == .keyFile || $0.role == .integrityKey }.map(\.name)
      .sorted()
    guard rivals.count > 1 else { return [] }
    return [
      Finding(
        .rivalCreation, .hint, path: path.description,
        message: "Several devices were first at once; \(rivals[0]) is the one that counts.",
        next: "Nothing needs to be done.")
    ]
  }

  private func check(_ path: RemotePath, limit: Int, _ body: ([UInt8]) -> [Finding]) async -> [Finding] {
    do {
      return body(try await backend.download(path, limit: limit))
    } catch {
      return [
        Finding(
          .unreadable, .error, path: path.description, message: error.description, next: error.recovery)
      ]
    }
  }

  private func undecodable(_ path: RemotePath, _ error: any Error, next: String) -> [Finding] {
    [Finding(.undecodable, .error, path: path.description, message: "\(error)", next: next)]
  }
}
