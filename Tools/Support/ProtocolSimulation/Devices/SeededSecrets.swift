import Crypto
import Simulation
import TICDSOpenSSL

/// Keys, salts and nonces that follow from the seed of a run.
struct SeededSecrets: RandomSource {
  let random: SharedRandom

  func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: random.next()) }
  }
}
