import Crypto
import SyncProtocol

/// The keys of one application on a remote.
enum ApplicationKeys: Sendable {
  /// There is no key file.
  case notEncrypted
  /// It is encrypted, and no password was given or no key file is there.
  case locked
  /// The keys that the password opens; the first is the one that devices seal with.
  case unlocked(KeyRing)

  /// Greatest size of a key file that is looked at, in bytes.
  static let sizeLimit = 64 << 10

  var ring: KeyRing? {
    if case .unlocked(let ring) = self { ring } else { nil }
  }

  /// Opens the key files below an application's folder.
  ///
  /// A file that is damaged is reported by the verification; here it only matters if no other opens.
  static func open(
    _ application: RemoteNode, password: String?, backend: any SyncBackend
  ) async throws(InspectionError) -> ApplicationKeys {
    let files = application.all.filter { $0.role == .keyFile }.compactMap(\.path).sorted()
    guard !files.isEmpty else {
      // Without key files nothing can be opened, but that does not mean that nothing is sealed.
      let isEncrypted = application.all.contains {
        if case .founding(let name) = $0.role { name.key != nil } else { false }
      }
      return isEncrypted ? .locked : .notEncrypted
    }
    guard let password else { return .locked }
    var keys: [MasterKey] = []
    var failure: InspectionError?
    for path in files {
      let bytes: [UInt8]
      do {
        bytes = try await backend.download(path, limit: sizeLimit)
      } catch {
        throw .storage(error)
      }
      do {
        keys.append(try KeyFile(parsing: bytes).unlock(password: password))
      } catch {
        let isWrong = error.code == .wrongPassword || error.code == .invalidPassword
        failure = isWrong ? .wrongPassword : .keyFile(path: path.description, error)
      }
    }
    guard let first = keys.first else { throw failure ?? .wrongPassword }
    let ring = KeyRing(first, others: Array(keys.dropFirst()))
    guard let name = RemoteName(application.name) else { return .unlocked(ring) }
    do {
      let exchange = KeyExchange(backend: backend, hierarchy: ApplicationHierarchy(application: name))
      let names = application.all.compactMap { if case .wrappedKey(let name) = $0.role { name } else { nil } }
      return .unlocked(try await exchange.adding(Set(names), to: ring))
    } catch let error as BackendError {
      throw .storage(error)
    } catch {
      return .unlocked(ring)
    }
  }
}
