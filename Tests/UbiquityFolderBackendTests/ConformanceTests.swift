import BackendConformance
import Foundation
import Testing
import UbiquityFolderBackend

/// One after the other, for each has a provider of its own that is never at rest.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ConformanceTests {
  @Test(arguments: BackendConformance.laws.filter { !$0.measuresMemory })
  func `a folder whose content comes and goes keeps the laws of storage`(_ law: BackendConformance.Law)
    async throws
  {
    let outcome = try await law.verify(sizes: .short, patience: .seconds(200)) {
      let provider = try await Provider(seed: 1)
      return ConformanceStorage(
        connect: { provider.backend() },
        absentRoot: { provider.backend(provider.folder + "/absent") },
        addForeign: { name, place in
          try Data(name.utf8).write(to: URL(filePath: "\(provider.folder)/\(place)/\(name)"))
        })
    }
    if case .skipped(let reason) = outcome {
      print("skipped: \(law), because \(reason)")
      try Test.cancel("\(reason)")
    }
  }
}
