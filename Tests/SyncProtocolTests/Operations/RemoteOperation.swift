import BackendConformance

@testable import SyncProtocol

/// What a device may do with a document.
enum RemoteOperation: CaseIterable {
  case push, uploadStore, vacuum, rename, removeDevice, join, goBack, rejoin
  case addPassword, removePassword, changePassword, addRecoveryCode, replaceKeys
  case deleteDocument, refill

  /// Does it, as a device of the stage.
  func perform(_ device: Device, on remote: any SyncBackend, _ stage: OperationStage) async throws {
    switch self {
    case .push:
      try stage.write(device, "while another acts, by \(device.client)")
      try await device.sync(remote)
    case .uploadStore: try await device.uploadStore(remote)
    case .vacuum: try await device.vacuum(remote, grace: 0)
    case .rename:
      device.rename("\(device.client), renamed")
      try await device.sync(remote)
    case .removeDevice: try await device.remove(stage.bystander, remote)
    case .join:
      let newcomer = stage.newcomer(of: device)
      try await newcomer.register(remote, .password(OperationStage.first), mayCreate: false)
      try stage.write(newcomer, "by \(newcomer.client)")
      try await newcomer.sync(remote)
    case .goBack:
      try stage.goBack(device)
      try await device.sync(remote)
    case .rejoin: try await device.rejoin(remote)
    case .addPassword:
      _ = try await device.application(remote).addPassword(stage.password(of: device))
    case .removePassword: try await device.application(remote).removePassword(OperationStage.spare)
    case .changePassword:
      try await device.application(remote).changePassword(
        from: OperationStage.first, to: stage.password(of: device))
    case .addRecoveryCode: _ = try await device.application(remote).addRecoveryCode()
    case .replaceKeys:
      device.setKeys(try await device.application(remote).replaceKeys(password: stage.password(of: device)))
    case .deleteDocument: try await device.deleteDocument(remote)
    case .refill: try await device.refill(remote)
    }
  }

  /// Whether a refusal says that it has taken effect: a password that was removed opens nothing any more.
  func isDone(refusedWith code: SyncError.Code) -> Bool { self == .removePassword && code == .wrongPassword }

  /// What it may be refused with because of what another device has done meanwhile, however often it is tried.
  func mayBeRefused(_ code: SyncError.Code, besides other: RemoteOperation) -> Bool {
    if other == .deleteDocument || self == .deleteDocument {
      return [.documentDeleted, .documentNotFound].contains(code)
    }
    switch code {
    // The password that it names is another one now.
    case .wrongPassword: return [.changePassword, .replaceKeys, .removePassword].contains(other)
    // A newer key came meanwhile.
    case .keyMissing: return other == .replaceKeys
    // What was refilled has no whole store yet.
    case .noWholeStore: return self == .rejoin && other == .refill
    case .noSuchDevice: return self == .removeDevice && other == .removeDevice
    default: return false
    }
  }
}
