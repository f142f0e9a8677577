// Whoever has a store describes its model, so the one import brings the other.
@_exported import ObjectModel
