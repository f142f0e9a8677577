/// What merging a change did to the cells, for whoever shows them.
enum CellEffect {
  /// Writes were won. What was written stands in no cell but in the row, or in what is kept aside.
  case written(ObjectTable.Slot, [Win])
  /// An insertion says that the object, which was shown as what it was before, is of another entity.
  case moved(ObjectTable.Slot, before: ObjectRecord)
  /// A deletion that is later than all before it.
  case deleted(ObjectTable.Slot, before: ObjectRecord, at: Stamp)
  /// A link was added or removed.
  case linked(ObjectTable.Slot, LinkTable.Cell, target: ObjectTable.Slot)
  /// A member of an ordered relationship got another place.
  case placed(ObjectTable.Slot, PropertyBit, target: ObjectTable.Slot)
  /// Something was contributed.
  case contributed(RegisterID)
}
