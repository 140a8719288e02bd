"""Where cells run: the contract, one killable process, and the local executor over several."""
