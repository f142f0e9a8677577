extension SimulatedClient {
  /// One unit of work of a user.
  func edit(using random: inout SeededRandomSource) throws {
    if let model = setting.drawn {
      try editDrawn(model, using: &random)
    } else {
      try editFixed(using: &random)
    }
  }

  /// What other programs and contexts without a recorder do to the store.
  func editElsewhere(using random: inout SeededRandomSource) throws {
    if let model = setting.drawn {
      try editDrawnElsewhere(model, using: &random)
    } else {
      try editFixedElsewhere(using: &random)
    }
  }
}
