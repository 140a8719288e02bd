"""The methods: anything with `fit`, in scikit-learn's conventions."""
