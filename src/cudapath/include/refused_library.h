#error wavetrap cuda-path has no @LIBRARY@: @REASON@
